"""Planted worlds: graphs like the user's with known groups, and labelled sets in them.

`sizes.infer_sizes` infers laws of group sizes, `world.plant_world` plants a world, and
`examples.draw_examples` draws labelled sets from it.
"""
