import { readFile } from 'node:fs/promises'
import { decodeText, NotText } from '@blindkeep/protocol/textFile'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Where the credentials are: two variables of the environment, or a file with the same two names. */
export interface CredentialSources {
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: string | undefined
  readonly sessionToken?: string | undefined
  /** Lines `AWS_ACCESS_KEY_ID=…` and `AWS_SECRET_ACCESS_KEY=…`. It counts before the variables. */
  readonly file: string | undefined
}

/** Throws an error for people that contains no secret. */
export async function readCredentials(sources: CredentialSources): Promise<S3Credentials> {
  const found = sources.file === undefined ? sources : await credentialsIn(sources.file)
  const { accessKeyId, secretAccessKey, sessionToken } = found
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(
      'the object store needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or S3_CREDENTIALS_FILE to a file with lines of both',
    )
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

async function credentialsIn(path: string): Promise<Omit<CredentialSources, 'file'>> {
  const text = await textOf(path)
  const lineOf = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, 'im').exec(text)?.[1]
  return {
    accessKeyId: lineOf('aws_access_key_id'),
    secretAccessKey: lineOf('aws_secret_access_key'),
    sessionToken: lineOf('aws_session_token'),
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return decodeText(await readFile(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = error instanceof NotText ? error.message : code
    throw new Error(`the file with the object store’s credentials, ${path}, cannot be read: ${why}`, { cause: error })
  }
}
