"""Installation of packs: download, import from a folder, staging, and an atomic switch. May import
`models.pack`.
"""
