import { Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type * as Sdk from '@aws-sdk/client-s3'
import { createTurns, type Turns } from '@blindkeep/protocol/turns'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { ByteRange } from '../../ports/objects.ts'
import type { S3Address } from './address.ts'
import { attempted, MAX_ATTEMPTS } from './attempts.ts'
import { noCredentials, type RenewedCredentials, type S3Credentials } from './credentials.ts'
import { readError } from './failure.ts'
import type { createGet, Get } from './getting.ts'
import { patient } from './turns.ts'

/** Calls at once for each kind of work. A call's own time begins with its turn: a crowd does not time out. */
const LANES = { chunks: 64, reads: 512, verification: 64, removal: 16 } as const
export type Lane = keyof typeof LANES

/** An answer that is read on keeps its connection when its call is over. */
const SOCKETS_FOR_CALL = 2

/** Until an answer begins, and between two pieces of it. The first attempts have less (`attempts.ts`). */
export const ANSWER_MS = 8_000
const CONNECT_MS = 5_000
/** How many calls may wait for their turn in a lane, and for how long. */
const MAX_WAITING = 10_000
const WAIT_MS = 60_000

export interface ClientOptions {
  readonly address: S3Address
  /** Undefined: those that the library's default chain finds. */
  readonly credentials: S3Credentials | RenewedCredentials | undefined
  /** `ANSWER_MS` if it is not given. */
  readonly answerMs?: number | undefined
}

/** The bucket behind the library. Every failure is an `S3Refusal`, and every call ends within its time. */
export interface Client {
  readonly address: S3Address
  readonly answerMs: number
  readonly sdk: typeof Sdk
  /** Those of now. */
  readonly credentials: RenewedCredentials
  /** Runs `work` up to three times. Each time it makes a new command, and gives it `abort`. */
  call<Result>(
    options: CallOptions,
    work: (s3: Sdk.S3Client, abort: Abort, progress: Progress) => Promise<Result>,
  ): Promise<Result>
  /** Resolves with the head of the answer, whose body is still to come. */
  get(options: CallOptions, key: string, span: ByteRange | undefined): Promise<IncomingMessage>
  /** Closes all connections. */
  close(): void
}

interface Abort {
  readonly abortSignal: AbortSignal
}

/** The call is not stuck: its time begins again. */
export type Progress = () => void

interface CallOptions {
  /** As in "failed to …". */
  readonly operation: string
  readonly lane: Lane
  readonly signal?: AbortSignal | undefined
  /** Time for each attempt beyond its share of `answerMs`. */
  readonly moreMs?: number
  /** 1 for what must not be repeated. */
  readonly most?: number
}

/** Loads the library, which takes 0.15 seconds and 30 MB: only a server with an object store pays for it. */
export async function openClient({ address, credentials, answerMs = ANSWER_MS }: ClientOptions): Promise<Client> {
  const sdk = await import('@aws-sdk/client-s3')
  const { createGet } = await import('./getting.ts')
  const lanes = new Map<Lane, OpenLane>()
  const renewed = credentials ?? (await credentialsOfChain(sdk, address))
  const busy = () => new StorageUnavailable('too many calls wait for the object store')
  for (const lane of Object.keys(LANES) as Lane[]) {
    const turns = createTurns({ most: LANES[lane], mostWaiting: MAX_WAITING, busy })
    lanes.set(lane, { ...openLane({ sdk, createGet }, lane, { address, credentials: renewed }), turns })
  }
  async function inTurn<Result>(
    { operation, lane, signal, moreMs = 0, most = MAX_ATTEMPTS }: CallOptions,
    work: (open: OpenLane, abort: Abort, progress: Progress) => Promise<Result>,
  ): Promise<Result> {
    const open = lanes.get(lane)
    if (open === undefined) throw new StorageUnavailable('the object store is closed')
    const attempts = { operation, answerMs, moreMs, signal, most }
    return open.turns.take(
      () => attempted(attempts, (abortSignal, progress) => work(open, { abortSignal }, progress)),
      patient({ signal, waitMs: WAIT_MS, busy }),
    )
  }
  return {
    address,
    answerMs,
    sdk,
    credentials: async () => (typeof renewed === 'function' ? renewed() : renewed),
    call: (options, work) => inTurn(options, ({ s3 }, abort, progress) => work(s3, abort, progress)),
    get: (options, key, span) => inTurn(options, ({ get }, { abortSignal }) => get(key, span, abortSignal)),
    close() {
      for (const { s3 } of lanes.values()) s3.destroy()
      lanes.clear()
    },
  }
}

/** A machine without any is asked for its role, and nothing answers there. */
const CHAIN_MS = 10_000

/**
 * Finds credentials where the library looks by default, and renews them there, once for all lanes. Throws an error for
 * people if there are none. A token of web identity is exchanged at the endpoint that AWS_ENDPOINT_URL_STS names, or at
 * Amazon's.
 */
async function credentialsOfChain(sdk: typeof Sdk, { region }: S3Address): Promise<RenewedCredentials> {
  const { credentials } = new sdk.S3Client({ region, logger: SILENT }).config
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('late'), { name: 'TimeoutError' })), CHAIN_MS)
  })
  try {
    await Promise.race([credentials(), late])
  } catch (error) {
    throw noCredentials(readError(error).code)
  } finally {
    clearTimeout(timer)
  }
  return () => credentials()
}

interface OpenLane {
  readonly s3: Sdk.S3Client
  readonly get: Get
  readonly turns: Turns
}

interface Library {
  readonly sdk: typeof Sdk
  readonly createGet: typeof createGet
}

function openLane(
  { sdk, createGet }: Library,
  lane: Lane,
  { address, credentials }: { readonly address: S3Address; readonly credentials: S3Credentials | RenewedCredentials },
): Omit<OpenLane, 'turns'> {
  const agents = { keepAlive: true, maxSockets: SOCKETS_FOR_CALL * LANES[lane], scheduling: 'lifo' } as const
  const [httpAgent, httpsAgent] = [new HttpAgent(agents), new HttpsAgent(agents)]
  const s3 = new sdk.S3Client({
    region: address.region,
    ...(address.endpoint !== undefined && { endpoint: address.endpoint }),
    forcePathStyle: address.pathStyle,
    credentials,
    // We hash what we send ourselves and name its hash in a signed header; some stores refuse the library's trailing
    // checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Some stores and proxies answer it late or never.
    expectContinueHeader: false,
    // `attempted` repeats: the library does not repeat streamed bodies.
    maxAttempts: 1,
    followRegionRedirects: false,
    logger: SILENT,
    requestHandler: {
      httpAgent,
      httpsAgent,
      connectionTimeout: CONNECT_MS,
      throwOnRequestTimeout: true,
      logger: SILENT,
    },
  })
  s3.middlewareStack.add(signedPayload, { step: 'build', name: 'signedPayload' })
  s3.middlewareStack.add(datedAnswer, { step: 'deserialize', priority: 'high', name: 'datedAnswer' })
  const agent = (isSecure: boolean) => (isSecure ? httpsAgent : httpAgent)
  return { s3, get: createGet({ s3, address, agent }) }
}

const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/**
 * Signs the hash that a command names. Without this the library signs "not hashed" for a stream, and no store finds a
 * byte that changed on the way. The checksum's own header is left out: older stores do not know it, and multipart
 * uploads would have to announce it.
 */
function signedPayload<Input extends object, Result>(
  next: (args: { readonly input: Input; request: unknown }) => Result,
) {
  return (args: { readonly input: Input; request: unknown }): Result => {
    const { headers } = args.request as { readonly headers: Record<string, string> }
    if ('ChecksumSHA256' in args.input && typeof args.input.ChecksumSHA256 === 'string') {
      headers['x-amz-content-sha256'] = Buffer.from(args.input.ChecksumSHA256, 'base64').toString('hex')
      delete headers['x-amz-checksum-sha256']
    }
    return next(args)
  }
}

/** Keeps the date of an answer, by the store's clock, which the library does not pass on. */
function datedAnswer<Args, Result extends { readonly response: unknown; readonly output?: object }>(
  next: (args: Args) => Promise<Result>,
) {
  return async (args: Args): Promise<Result> => {
    const result = await next(args)
    const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> }
    if (result.output !== undefined && '$metadata' in result.output)
      Object.assign(result.output.$metadata ?? {}, { date: headers.date })
    return result
  }
}
