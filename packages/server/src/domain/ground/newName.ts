/** An owner's name as a request changes it; undefined removes it. `same`: the thing must still be the caller's. */
export type NewName = Uint8Array | undefined | 'same'
