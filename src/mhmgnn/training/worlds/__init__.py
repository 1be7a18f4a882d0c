"""Planted worlds: graphs like the user's whose groups we know, and labelled sets in them.

`sizes.infer_sizes` tells how large groups may be, `world.plant_world` plants a world, and
`examples.draw_examples` labels sets in it.
"""
