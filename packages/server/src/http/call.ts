/**
 * The input and output types of a route, derived from its row in the table of operations:
 * an answer with a status, a body or a refusal that the row does not declare does not compile.
 */
import type { Instant } from '@blindkeep/protocol/ids'
import type { OperationName, OperationOf, PATH_PARAMETERS } from '@blindkeep/protocol/operations'
import type { Static } from '@blindkeep/protocol/static'
import type { TSchema } from 'typebox'
import type { KeyHash } from '../domain/account/proofs.ts'
import type { Caller } from '../domain/account/sessions.ts'
import type { Refusal, Refuses } from '../domain/ground/refusals.ts'
import type { Kept } from './budget.ts'
import type { EventStream } from './eventStream.ts'
import type { ReasonOf } from './problem.ts'
import type { Body } from './sockets/body.ts'
import type { Document } from './wire/document.ts'

export interface Call<Name extends OperationName> {
  readonly params: ParamsOf<OperationOf<Name>['path']>
  readonly query: QueryOf<OperationOf<Name>>
  /** The parsed JSON body, checked against the row's schema. */
  readonly json: JsonOf<OperationOf<Name>>
  /** The body as it arrives, for rows that take bytes. */
  readonly body: Body
  /** Undefined for rows without a bearer token. */
  readonly caller: OperationOf<Name>['auth'] extends 'bearer' ? Caller : undefined
  /** The key that the request proves. Undefined for rows without a proof. */
  readonly provedKey: OperationOf<Name> extends { readonly proves: true } ? KeyHash : undefined
  /** When its client got the nonce of the proof. */
  readonly askedAt: OperationOf<Name> extends { readonly proves: true } ? Instant : undefined
  /** The source of the request; undefined when many clients share that address. */
  readonly source: string | undefined
  /** Whether a header says that a proxy forwarded the request. */
  readonly isForwarded: boolean
  header(name: string): string | undefined
  /** Reserves memory for the rest of the request, in the name of its sender. */
  hold(kept: Kept, bytes: number): Refuses<'overloaded'> | undefined
  /** Aborts when the client disconnects. */
  signal(): AbortSignal
  /** The caller as it is now, or why there is none any more: asks again, for a call that has waited. */
  present(): Promise<Caller | Refusal | undefined>
  /** Aborts when the server ends: endless answers must end then. */
  readonly closing: AbortSignal
}

type Handler<Name extends OperationName> = (call: Call<Name>) => Promise<AnswerOf<Name> | RefusalOf<Name>>

/** One route for each row. */
export type Routes = { readonly [Name in OperationName]: Handler<Name> }

type Answers<Name extends OperationName> = OperationOf<Name>['answers']

type AnswerOf<Name extends OperationName> = {
  [Status in keyof Answers<Name>]: Given<Status, Answers<Name>[Status]>
}[keyof Answers<Name>]

type Given<Status, Declared> = { readonly status: Status; readonly headers?: HeadersOf<Declared> } & BodyOf<Declared>

/** Besides its declared headers, any answer may set length, type and caching. */
type HeadersOf<Declared> = Partial<
  Record<DeclaredHeaders<Declared> | 'Content-Length' | 'Content-Type' | 'Cache-Control', string>
>

type DeclaredHeaders<Declared> = Declared extends { readonly headers: readonly (infer Header extends string)[] }
  ? Header
  : never

type BodyOf<Declared> = Declared extends { readonly body: infer Body }
  ? Body extends 'bytes'
    ? { readonly bytes: AsyncIterable<Uint8Array> }
    : Body extends 'events'
      ? EventStream
      : Body extends 'json'
        ? { readonly document: Document }
        : Body extends string
          ? { readonly text: string }
          : Body extends TSchema
            ? { readonly body: Static<Body> }
            : never
  : unknown

/** An answer of any row. */
export interface AnyAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly bytes?: AsyncIterable<Uint8Array>
  readonly text?: string
  readonly document?: Document
  readonly events?: AsyncIterable<Uint8Array>
  readonly until?: AbortSignal
}

type RefusalOf<Name extends OperationName> = Extract<Refusal, { readonly refused: ReasonOf<Name> }>

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

type ParamsOf<Path extends string> = {
  readonly [Name in ParameterNames<Path> & keyof typeof PATH_PARAMETERS]: NonNullable<
    ReturnType<(typeof PATH_PARAMETERS)[Name]['parse']>
  >
}

type JsonOf<Row> = Row extends {
  readonly body: { readonly schema: infer Schema extends TSchema; readonly nullRemoves: true }
}
  ? Static<Schema>
  : Row extends { readonly body: { readonly schema: infer Schema extends TSchema } }
    ? NoNulls<Static<Schema>>
    : undefined

/** The parser leaves out optional members that are null, at every depth. */
type NoNulls<Value> = Value extends string | number | boolean
  ? Value
  : Value extends object
    ? { [Key in keyof Value]: NoNulls<Exclude<Value[Key], null>> }
    : Value

type QueryOf<Row> = Row extends { readonly query: infer Query }
  ? {
      readonly [Name in keyof Query]: Query[Name] extends { readonly schema: infer Schema extends TSchema }
        ? Static<Schema> | (Query[Name] extends { readonly required: true } ? never : undefined)
        : never
    }
  : undefined
