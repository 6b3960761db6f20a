"""From the model of a graph to boxes and arrows, and from those to SVG, HTML, text and files."""
