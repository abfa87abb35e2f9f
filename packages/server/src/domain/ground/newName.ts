/** The owner's own name for a thing, as a request changes it: undefined removes it. `same` changes nothing, and the thing must be the caller's all the same. */
export type NewName = Uint8Array | undefined | 'same'
