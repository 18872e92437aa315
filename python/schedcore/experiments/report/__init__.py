"""What readers see: tables, drawings and the page."""
