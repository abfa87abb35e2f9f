/** What `width.ts` loads only for a text that needs it. */
export { default as cliTruncate } from 'cli-truncate'
export { createLogUpdate } from 'log-update'
export { default as stringWidth } from 'string-width'
