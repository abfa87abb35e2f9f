import { createReadStream } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { decodeText, NotText } from '@blindkeep/protocol/textFile'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Gives the credentials of now. The library asks again some minutes before they expire. */
export type RenewedCredentials = () => Promise<S3Credentials & { readonly expiration?: Date }>

/**
 * Where the credentials are: two variables of the environment, or a file with the same two names. If neither is
 * given, the library looks where its own default chain does: web identity, a profile, the role of a container or of
 * the machine.
 */
export interface CredentialSources {
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: string | undefined
  readonly sessionToken?: string | undefined
  /** Lines `AWS_ACCESS_KEY_ID=…`, `AWS_SECRET_ACCESS_KEY=…`. Goes before variables; may be replaced while running. */
  readonly file: string | undefined
}

/** A file is read again so often. */
const FILE_MS = 30_000
/** Far more than credentials take. Another file was meant; a device has no end. */
const MAX_FILE_BYTES = 1024 * 1024
/** The library renews what expires in less. */
const LIBRARY_AHEAD_MS = 300_000

/** Undefined if none are given. Throws an error for people that contains no secret. */
export async function readCredentials({
  file,
  ...variables
}: CredentialSources): Promise<S3Credentials | RenewedCredentials | undefined> {
  if (file !== undefined) return credentialsOfFile(file)
  const { accessKeyId, secretAccessKey } = variables
  return accessKeyId === undefined && secretAccessKey === undefined ? undefined : completed(variables)
}

/** What else an operator can do when `code` is all that the library's chain has to say. */
export function noCredentials(code: string): Error {
  return new Error(
    `the object store needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or S3_CREDENTIALS_FILE to a file with lines of both. No role, web identity or profile of this machine gave any (${code}).`,
  )
}

function completed({ accessKeyId, secretAccessKey, sessionToken }: Omit<CredentialSources, 'file'>): S3Credentials {
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(
      'the object store’s credentials are incomplete: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, in the environment or in S3_CREDENTIALS_FILE',
    )
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

/** While the file cannot be read, what it had counts. */
async function credentialsOfFile(path: string): Promise<RenewedCredentials> {
  let last = await credentialsIn(path)
  return async () => {
    last = await credentialsIn(path).catch(() => last)
    return { ...last, expiration: new Date(Date.now() + LIBRARY_AHEAD_MS + FILE_MS) }
  }
}

async function credentialsIn(path: string): Promise<S3Credentials> {
  const text = await textOf(path)
  const lineOf = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, 'im').exec(text)?.[1]
  return completed({
    accessKeyId: lineOf('aws_access_key_id'),
    secretAccessKey: lineOf('aws_secret_access_key'),
    sessionToken: lineOf('aws_session_token'),
  })
}

async function textOf(path: string): Promise<string> {
  try {
    const bytes = await buffer(createReadStream(path, { end: MAX_FILE_BYTES }))
    if (bytes.length > MAX_FILE_BYTES) throw new NotText('it is too large for them')
    return decodeText(bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = error instanceof NotText ? error.message : code
    throw new Error(`the file with the object store’s credentials, ${path}, cannot be read: ${why}`, { cause: error })
  }
}
