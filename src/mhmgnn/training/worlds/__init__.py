"""Planted worlds: graphs like the user's with known groups, and labelled sets in them.

`sizes.infer_sizes` infers laws of group sizes, `families.families` says which kinds of worlds there are,
`world.plant_world` plants one, and `examples.draw_examples` draws labelled sets from it.
"""
