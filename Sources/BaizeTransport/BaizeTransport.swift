// BaizeTransport: see DESIGN.md, section 2.
