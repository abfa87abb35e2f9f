/** Runs in a sandbox without an origin and without network. */
document.body.textContent = ''
