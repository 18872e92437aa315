"""Virtual machines of the Azure traces of 2017 and 2020."""
