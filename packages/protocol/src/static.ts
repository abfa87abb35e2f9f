/**
 * The values of a schema, for the kinds of schemas that `schemas/` and the clients' own states have. TypeBox's `Static`
 * asks thirty questions about each part of a schema, which was half of the work of checking types.
 */

interface Plain {
  readonly String: string
  readonly Integer: number
  readonly Boolean: boolean
}

/** Of a schema of another kind: unknown, so that what reads such a value does not compile. */
export type Static<Schema> = Schema extends { '~unsafe': infer Value }
  ? Value
  : Schema extends { '~kind': infer Kind extends keyof Plain }
    ? Plain[Kind]
    : Schema extends { '~kind': 'Object'; properties: infer Properties }
      ? Members<Properties>
      : Schema extends { '~kind': 'Array'; items: infer Item }
        ? Static<Item>[]
        : unknown

type OptionalNames<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends { '~optional': true } ? Name : never
}[keyof Properties]

type Members<Properties> = Flat<
  { [Name in Exclude<keyof Properties, OptionalNames<Properties>>]: Static<Properties[Name]> } & {
    [Name in OptionalNames<Properties>]?: Static<Properties[Name]>
  }
>

type Flat<Type> = { [Name in keyof Type]: Type[Name] }
