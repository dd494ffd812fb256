"""The Kedro pipelines: thin nodes over the rooms."""
