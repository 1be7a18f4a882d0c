"use strict";
const tip = document.getElementById("tip");
for (const chart of document.querySelectorAll("svg[data-spots]")) {
  const spots = JSON.parse(chart.dataset.spots), nearest = chart.dataset.nearest;
  const ring = document.createElementNS(chart.namespaceURI, "circle");
  ring.setAttribute("class", "ring");
  ring.setAttribute("r", "6.5");
  const hide = () => { tip.hidden = true; ring.remove(); };
  const show = (event) => {
    const turn = chart.getScreenCTM(), reach = (24 / turn.a) ** 2;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(turn.inverse());
    let best = null, least = nearest === "xy" ? reach : Infinity;
    for (const spot of spots) {
      const far = (nearest === "y" ? 0 : (spot[0] - at.x) ** 2) + (nearest === "x" ? 0 : (spot[1] - at.y) ** 2);
      if (far < least) { least = far; best = spot; }
    }
    if (best === null) return hide();
    tip.textContent = best[2];
    tip.hidden = false;
    if (nearest !== "y") {
      ring.setAttribute("cx", best[0]);
      ring.setAttribute("cy", best[1]);
      if (nearest === "xy") chart.append(ring);
    }
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    const above = event.clientY - tip.offsetHeight - 14;
    tip.style.left = Math.max(8, Math.min(event.clientX + 12, room)) + "px";
    tip.style.top = (above < 8 ? event.clientY + 18 : above) + "px";
  };
  chart.addEventListener("pointermove", show);
  chart.addEventListener("pointerdown", show);
  chart.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
  addEventListener("pointerdown", hide, { capture: true });  // before the chart that is pointed at, if any
  addEventListener("scroll", hide, { passive: true });
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
