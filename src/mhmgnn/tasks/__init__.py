"""Hidden truth + k-sets -> labelled k-sets, split into train and test."""
