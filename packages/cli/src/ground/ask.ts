/** What a command asks a person: secrets, words and consent. Questions go to standard error, and only to a terminal. */
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { concatBytes, utf8 } from '@blindkeep/protocol/bytes'
import { type MendedAddress, mendAddress } from '@blindkeep/protocol/mendAddress'
import { decodeLine, decodeText, NotText } from '@blindkeep/protocol/textFile'
import { streamOf } from './disk.ts'
import { LocalError, UsageError } from './exits.ts'
import type { Report } from './report.ts'
import { shown } from './texts.ts'

interface SecretQuestion {
  /** What the person is asked for, as in `Password`. */
  readonly what: string
  /** A file with nothing but the secret. */
  readonly file?: string | undefined
  /** The variable of the environment that may have it. */
  readonly variable: string
  /** The flag that names the file. */
  readonly flag: string
  /** Of words, which may be on several lines. */
  readonly lines?: boolean | undefined
  /** Ask twice, for a new secret. */
  readonly twice?: boolean
}

/** A secret from a file, the environment or the terminal: never an argument, which other users can read. */
export async function secret({ what, file, variable, flag, lines, twice = false }: SecretQuestion): Promise<string> {
  const given = await givenSecret({ file, variable, lines })
  if (given !== undefined) return given
  if (!canAsk()) throw new UsageError(`${what}: give it with ${flag} or ${variable}.`)
  const first = await hidden(what)
  if (twice && (await hidden(`${what} again`)) !== first)
    throw new UsageError('the two are not the same. Call it again.')
  return first
}

/** Undefined if neither a file nor the environment has it. */
export async function givenSecret({
  file,
  variable,
  lines = false,
}: Pick<SecretQuestion, 'file' | 'variable' | 'lines'>): Promise<string | undefined> {
  const decode = lines ? decodeText : decodeLine
  if (file !== undefined) return readText(file, await shortContent(file, streamOf(file)), decode)
  const value = process.env[variable]
  // A shell puts there what a file had, with its mark.
  return value ? readText(variable, utf8(value), decode) : undefined
}

/** More than any secret or address has. */
const MAX_TEXT_BYTES = 65_536

/** Reads no more than a text may have: a wrong file may be large, or, as a device, without an end. */
async function shortContent(where: string, content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of content) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > MAX_TEXT_BYTES)
      throw new LocalError(`${where} cannot be used: it has more than ${sizeText(MAX_TEXT_BYTES)}.`)
  }
  return concatBytes(...pieces)
}

async function inputText(): Promise<string> {
  const where = 'Standard input'
  return readText(where, await shortContent(where, process.stdin), decodeText)
}

/** Throws `LocalError` for what is no text. Half of it would be a secret that cannot be typed. */
function readText(where: string, content: Uint8Array, decode: (content: Uint8Array) => string): string {
  try {
    return decode(content)
  } catch (error) {
    if (error instanceof NotText) throw new LocalError(`${where} cannot be used: ${error.message}.`)
    throw error
  }
}

/**
 * The address of a link or a share: as given, or from standard input if `-` was given. It has a secret in it, and other
 * users of the machine can read arguments. `exposed` is said when servers have seen it on the way.
 */
export async function givenAddress(given: string, report: Report, exposed: string): Promise<string> {
  const { address, isExposed } = mendAddress(given === '-' ? await inputText() : given)
  if (isExposed) tellExposed(report, exposed)
  return address
}

/** What it means that servers have seen the address of a link or a share. */
export const EXPOSED = {
  link: 'They can read what the owner of the link writes, and send files through it; they cannot open what you send. If this matters, ask the owner for a new link by another way.',
  share:
    'They can open these files, unless a passphrase is needed as well. If the files are confidential, tell the owner, who can end the share and make another one with a passphrase.',
} as const

/** What an address is of, by its path. Undefined for what is neither. */
export function kindOfAddress(address: string): keyof typeof EXPOSED | undefined {
  const [, is] = /\/([uv])\/[^/]*\/?$/.exec(URL.parse(address)?.pathname ?? '') ?? []
  return is === 'v' ? 'share' : is === 'u' ? 'link' : undefined
}

const COMMANDS = { link: 'blindkeep drop', share: 'blindkeep open' } as const

/** Throws `UsageError` for the address of the other kind: people mistake them for each other. */
export function requireKind(address: string, wanted: keyof typeof EXPOSED): void {
  const is = kindOfAddress(address)
  if (is !== undefined && is !== wanted) throw new UsageError(`this is the address of a ${is}. Call: ${COMMANDS[is]}`)
}

/** An address that is no argument: from standard input, or from a terminal, which does not show it. */
export async function secretAddress(what: string): Promise<MendedAddress> {
  if (canAsk()) return mendAddress(await hidden(what))
  // It would show what is typed.
  if (process.stdin.isTTY === true) throw new UsageError(`${what}: give it on standard input.`)
  return mendAddress(await inputText())
}

/** A program has rewritten the `#` of an address. `exposed`: what that means, and what to do. */
export function tellExposed(report: Report, exposed: string): void {
  report.problem(`A program that passed this address on changed its # to %23, so servers have seen it. ${exposed}`, {
    event: 'address_exposed',
  })
}

async function hidden(message: string): Promise<string> {
  const { default: password } = await import('@inquirer/password')
  return await password({ message: shown(message) }, { output: process.stderr })
}

export async function askEmail(): Promise<string> {
  if (!canAsk()) throw new UsageError('E-mail address: give it with --email.')
  const { default: input } = await import('@inquirer/input')
  return await input({ message: 'E-mail address' }, { output: process.stderr })
}

/** A line. Asks again for as long as `isTaken` says why not. Only where `canAsk`. */
export async function askLine(question: string, isTaken: (line: string) => true | string): Promise<string> {
  const { default: input } = await import('@inquirer/input')
  return await input({ message: shown(question), validate: isTaken }, { output: process.stderr })
}

/** Whether the person agrees. `--yes` does so beforehand. Throws `UsageError` without a terminal. */
export async function agrees(question: string, { yes = false }: { readonly yes?: boolean }): Promise<boolean> {
  if (yes) return true
  if (!canAsk()) throw new UsageError(`${question} Add --yes if that is meant.`)
  const { default: confirm } = await import('@inquirer/confirm')
  return await confirm({ message: shown(question), default: false }, { output: process.stderr })
}

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}
