/**
 * Where the bytes of an object are in a store with keys: in its kept parts. Table `parts` knows them (`rows/parts.ts`).
 * A file has no parts: its bytes are at its location.
 */
export interface PartIndex {
  /** The kept parts of an object in the order of their offsets, without gaps; empty for an unknown one. */
  partsOf(location: string): Promise<readonly PlacedPart[]>
}

export interface PlacedPart {
  /** `<location>/<16 hexadecimal digits>`. */
  readonly key: string
  readonly offset: number
  readonly length: number
}
