import type { Bytes } from '@blindkeep/protocol/bytes'
import type { HeaderName, OperationName, OperationOf } from '@blindkeep/protocol/operations'
import type { Static } from '@blindkeep/protocol/static'
import type { TSchema } from 'typebox'

/** Request and answer types of each operation, derived from its row, so that the table and the code cannot disagree. */

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

type PathPart<Row> = Row extends { readonly path: infer Path extends string }
  ? [PathNames<Path>] extends [never]
    ? unknown
    : { readonly path: Readonly<Record<PathNames<Path>, string>> }
  : unknown

type RequiredNames<Query> = {
  [Name in keyof Query]: Query[Name] extends { readonly required: true } ? Name : never
}[keyof Query] &
  string

/** All values are texts; integers in decimal digits. */
type QueryPart<Row> = Row extends { readonly query: infer Query }
  ? [RequiredNames<Query>] extends [never]
    ? { readonly query?: Readonly<Partial<Record<keyof Query & string, string>>> }
    : { readonly query: Readonly<Record<RequiredNames<Query>, string> & Partial<Record<keyof Query & string, string>>> }
  : unknown

type BodyPart<Row> = Row extends {
  readonly body: { readonly type: 'application/json'; readonly schema: infer Schema extends TSchema }
}
  ? { readonly body: Static<Schema> }
  : Row extends { readonly body: { readonly type: 'application/octet-stream' } }
    ? { readonly body: Bytes }
    : unknown

type HeadersPart<Row> = Row extends { readonly requestHeaders: readonly (infer Name extends HeaderName)[] }
  ? { readonly headers?: Readonly<Partial<Record<Name, string>>> }
  : unknown

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Until the whole answer is read; of a stream, until it begins and for each piece. 30,000 by default. */
  readonly timeoutMs?: number
}

export type CallRequest<Name extends OperationName> = PathPart<OperationOf<Name>> &
  QueryPart<OperationOf<Name>> &
  BodyPart<OperationOf<Name>> &
  HeadersPart<OperationOf<Name>> &
  CallOptions

type RequestArguments<Name extends OperationName> =
  CallOptions extends CallRequest<Name> ? [request?: CallRequest<Name>] : [request: CallRequest<Name>]

type BodyOf<Answer> = Answer extends { readonly body: 'bytes' | 'events' }
  ? ReadableStream<Bytes>
  : Answer extends { readonly body: infer Schema extends TSchema }
    ? Static<Schema>
    : undefined

type Answers<Name extends OperationName> = OperationOf<Name>['answers']

/** Without 304: the client never asks conditionally, and a browser hides it. */
type Statuses<Name extends OperationName> = Exclude<keyof Answers<Name>, 304>

export type CallAnswer<Name extends OperationName> = {
  readonly [Status in Statuses<Name>]: {
    readonly status: Status
    readonly headers: Headers
    readonly body: BodyOf<Answers<Name>[Status]>
  }
}[Statuses<Name>]

/**
 * One call of the server. Resolves with an answer that the row declares; its body matches the row's schema. Throws
 * `ProblemError` for a refusal, `NetworkError` when no complete answer arrived, `AnswerError` for an answer that the
 * row does not declare, `RangeError` for an invalid path parameter, and the signal's reason when it aborts.
 */
export type Call = <Name extends OperationName>(
  name: Name,
  ...request: RequestArguments<Name>
) => Promise<CallAnswer<Name>>

/** The untyped form of a request. */
export interface AnyRequest extends CallOptions {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

export interface AnyAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}
