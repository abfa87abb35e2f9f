/** 2^53-1: the largest whole number that JSON carries exactly. No sum may exceed it. */
export const integerMax = Number.MAX_SAFE_INTEGER

/** The roles of blobs, as a list in SQL. */
export const roles = `('original', 'derivative', 'metadata', 'provenance')`
