/**
 * No file is here: the answer is a document of the origin without a script or headers of a page, in which a test can
 * look into the browser's storage. What has data is in a sandbox without an origin.
 */
export const BARE = '/app/none'
