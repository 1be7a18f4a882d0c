"""Trained models: what a user holds, how it is saved, searched, and run on tables."""
