"""What the shop of `market.py` could sell: purposes, occasions, lines, and the words of descriptions."""

from typing import NamedTuple


class Purpose(NamedTuple):
    """What a customer is up to: four roles of two substitutes each, and the words that all eight share."""

    name: str
    words: str
    gear: tuple[str, str]  # the thing itself
    tool: tuple[str, str]  # what helps to use it
    supply: tuple[str, str]  # what is used up
    keeper: tuple[str, str]  # what holds or keeps it


PURPOSES = (
    Purpose(
        "coffee",
        "aroma roast barista crema brew caffeine arabica morning",
        ("espresso machine", "moka pot"),
        ("coffee grinder", "hand coffee mill"),
        ("coffee beans", "decaf coffee beans"),
        ("espresso cups", "coffee mugs"),
    ),
    Purpose(
        "baking",
        "dough oven cake crust pastry batter bread rise",
        ("stand mixer", "hand mixer"),
        ("rolling pin", "dough scraper"),
        ("bread flour", "spelt flour"),
        ("cake tin", "loaf tin"),
    ),
    Purpose(
        "camping",
        "tent night forest campfire wilderness shelter meadow sleep",
        ("dome tent", "tunnel tent"),
        ("tent mallet", "folding spade"),
        ("gas cartridge", "firelighters"),
        ("cool box", "food barrel"),
    ),
    Purpose(
        "photography",
        "lens shutter aperture exposure portrait focus image flash",
        ("mirrorless camera", "reflex camera"),
        ("camera tripod", "monopod"),
        ("photo paper", "instant film"),
        ("camera bag", "lens case"),
    ),
    Purpose(
        "painting",
        "canvas pigment palette artist sketch colour portraiture landscape",
        ("field easel", "table easel"),
        ("bristle brushes", "palette knife"),
        ("oil paints", "acrylic paints"),
        ("paint box", "brush roll"),
    ),
    Purpose(
        "running",
        "marathon stride sprint pace jog cushion sole race",
        ("running shoes", "trail shoes"),
        ("running watch", "heart rate strap"),
        ("energy gels", "energy bars"),
        ("running belt", "arm pocket"),
    ),
    Purpose(
        "gardening",
        "soil seed bloom root lawn compost sprout harvest",
        ("raised bed", "cold frame"),
        ("garden trowel", "hand fork"),
        ("tomato seeds", "bean seeds"),
        ("seed drawer", "potting tray"),
    ),
    Purpose(
        "office",
        "desk meeting document posture screen keyboard deadline notes",
        ("standing desk", "writing desk"),
        ("desk lamp", "clamp lamp"),
        ("printer paper", "sticky notes"),
        ("filing cabinet", "letter tray"),
    ),
    Purpose(
        "guitar",
        "chord melody fret tune acoustic rhythm song strum",
        ("classical guitar", "folk guitar"),
        ("guitar tuner", "metronome"),
        ("nylon strings", "steel strings"),
        ("guitar case", "gig bag"),
    ),
    Purpose(
        "cycling",
        "pedal wheel brake saddle gear chain commute tyre",
        ("touring bicycle", "city bicycle"),
        ("bicycle pump", "floor pump"),
        ("chain oil", "chain wax"),
        ("saddle bag", "bicycle basket"),
    ),
    Purpose(
        "yoga",
        "stretch breath balance calm meditation flexible pose spine",
        ("yoga mat", "cork mat"),
        ("yoga block", "yoga strap"),
        ("incense sticks", "scented candles"),
        ("mat bag", "mat rack"),
    ),
    Purpose(
        "fishing",
        "river lake trout bait cast angler catch stream",
        ("fly rod", "spinning rod"),
        ("landing net", "fish gripper"),
        ("fishing line", "braided line"),
        ("tackle box", "fly box"),
    ),
    Purpose(
        "sewing",
        "stitch hem fabric seam tailor garment cotton pattern",
        ("sewing machine", "overlock machine"),
        ("fabric scissors", "rotary cutter"),
        ("sewing thread", "elastic band"),
        ("sewing basket", "button tin"),
    ),
    Purpose(
        "knitting",
        "wool yarn purl loop scarf sweater skein cosy",
        ("circular needles", "straight needles"),
        ("stitch counter", "cable needle"),
        ("merino yarn", "alpaca yarn"),
        ("yarn bowl", "knitting bag"),
    ),
    Purpose(
        "grilling",
        "grill charcoal smoke steak sizzle marinade ember summer",
        ("kettle grill", "gas grill"),
        ("grill tongs", "grill spatula"),
        ("charcoal briquettes", "wood chips"),
        ("grill trolley", "skewer stand"),
    ),
    Purpose(
        "tea",
        "leaf infusion steep herbal teatime porcelain bergamot jasmine",
        ("glass teapot", "iron teapot"),
        ("tea strainer", "tea infuser"),
        ("green tea", "black tea"),
        ("tea caddy", "tea cups"),
    ),
    Purpose(
        "woodwork",
        "timber joint plank carpenter oak sawdust bench grain",
        ("table saw", "jigsaw"),
        ("wood chisel", "block plane"),
        ("wood glue", "wood screws"),
        ("tool chest", "nail drawer"),
    ),
    Purpose(
        "dog",
        "puppy leash paw bark fetch walk breed snout",
        ("dog bed", "dog crate"),
        ("dog brush", "claw clippers"),
        ("dog biscuits", "chew bones"),
        ("dog bowl", "kibble bin"),
    ),
    Purpose(
        "astronomy",
        "star planet orbit galaxy nebula moonlight eyepiece observatory",
        ("refractor telescope", "mirror telescope"),
        ("star chart", "planisphere"),
        ("lens wipes", "cleaning fluid"),
        ("telescope bag", "eyepiece case"),
    ),
    Purpose(
        "climbing",
        "rock summit belay cliff boulder ascent knot crag",
        ("climbing harness", "climbing rope"),
        ("belay device", "carabiners"),
        ("climbing chalk", "finger tape"),
        ("chalk bag", "rope bag"),
    ),
    Purpose(
        "swimming",
        "pool goggles lap chlorine dive stroke splash float",
        ("swim goggles", "swim mask"),
        ("kick board", "pull buoy"),
        ("ear plugs", "defogging spray"),
        ("wet bag", "swim backpack"),
    ),
    Purpose(
        "skiing",
        "snow slope powder alpine glide frost piste winter",
        ("downhill skis", "touring skis"),
        ("ski poles", "climbing skins"),
        ("ski wax", "hand warmers"),
        ("ski sleeve", "boot bag"),
    ),
    Purpose(
        "pottery",
        "clay kiln glaze vase sculpt ceramic throw earthenware",
        ("pottery wheel", "banding wheel"),
        ("trimming tools", "wire cutter"),
        ("stoneware clay", "porcelain clay"),
        ("drying rack", "glaze buckets"),
    ),
    Purpose(
        "aquarium",
        "fish tank coral algae reef filter tropical pebbles",
        ("glass aquarium", "nano aquarium"),
        ("algae scraper", "gravel cleaner"),
        ("fish flakes", "water conditioner"),
        ("aquarium stand", "breeding box"),
    ),
    Purpose(
        "shaving",
        "beard blade lather stubble razor skin groom barber",
        ("safety razor", "electric shaver"),
        ("shaving brush", "beard comb"),
        ("shaving soap", "shaving cream"),
        ("razor stand", "wash bag"),
    ),
)

OCCASIONS = {  # purposes for which a customer shops on one trip
    "breakfast": "coffee baking tea",
    "guests": "coffee tea grilling baking",
    "weekend": "camping fishing grilling cycling",
    "mountains": "climbing skiing camping photography",
    "fitness": "running yoga swimming cycling",
    "studio": "painting pottery photography guitar",
    "quiet evening": "knitting sewing tea guitar",
    "house and garden": "gardening woodwork dog grilling",
    "pets": "dog aquarium gardening",
    "working day": "office coffee cycling shaving",
    "night sky": "astronomy photography camping",
    "holiday": "swimming shaving photography fishing",
}

ROLES = {
    "gear": "complete warranty model assembled durable centrepiece",
    "tool": "handle grip adjustable precise handy helper",
    "supply": "refill pack fresh lasting bulk portion",
    "keeper": "holds tidy stackable lid compartment storage",
}

LINES = {  # a line's name is the first word of its products; the plain line has none
    "": "simple favourite household sensible familiar basic",
    "studio": "professional calibrated expert premium exact workshop",
    "travel": "lightweight foldable luggage journey packable airport",
    "junior": "child playful rounded learning bright small",
    "heritage": "vintage brass handmade traditional grandfather leather",
    "eco": "recycled organic bamboo fairtrade natural compostable",
    "deluxe": "luxury golden velvet exclusive gift polished",
    "nordic": "birch minimal scandinavian pale fjord felt",
    "urban": "sleek matte concrete apartment slim city",
    "rustic": "farmhouse rough oaken weathered village barn",
    "neon": "fluorescent glowing vivid party pink electric",
    "marine": "saltproof navy anchor coastal waterproof harbour",
    "desert": "sand dune heatproof ochre dry caravan",
    "retro": "seventies orange chrome diner jukebox nostalgic",
    "zen": "quiet stone balanced mindful plain serene",
    "alpine": "mountain edelweiss rugged insulated chalet peak",
    "botanic": "floral fern petal printed greenhouse ivy",
    "cosmic": "starry purple metallic futuristic lunar rocket",
    "tropic": "palm mango parrot sunny breezy lagoon",
    "royal": "crest crown scarlet ornate engraved palace",
}

FILLERS = (
    "new popular quality great value offer customer rated bestseller seasonal delivery shop item order brand "
    "design material inside easy daily home family choice perfect modern strong soft set size medium large "
    "black white red blue green grey silver season colourful"
)
