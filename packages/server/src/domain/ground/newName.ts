/** An owner's name as a request changes it: undefined removes it. `same` changes nothing, but needs an own thing. */
export type NewName = Uint8Array | undefined | 'same'
