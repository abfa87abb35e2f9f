/** Checks values against one schema: what `parse.ts` needs of TypeBox, compiled in Node and walking in browsers. */
export interface Checker {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly SchemaError[]
}

export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: unknown
  readonly message: string
}
