/** What `npm run check:receipts` does with its parameters and input: its output and exit status. */
import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import { type CheckOptions, openChecker, type Report } from './check.ts'
import { describeFault } from './fault.ts'
import { readItems } from './input.ts'
import { readDocument } from './sources.ts'

const USAGE = `Checks custody receipts and their chain, without any code of the server or its clients.
  npm run check:receipts -- <file or ->… --keys <file or URL> [--pins <file>] [--moves <file or URL>] [--whole] [--log] [--json]

  <file or ->     Receipts as JSON Lines or one JSON document, in any order: AssetReceipt objects, receipt_cbor texts (base64), arrays of
                  either, or answers of GET /v1/assets/{asset_id}/receipts. Several files are read one after the other. - is standard input.
                  Unknown members are ignored.
  --keys <what>   The attestation keys: a file with the answer of /.well-known/service/attestation-keys, or the URL of the server.
                  A server can show you other keys than it shows others: compare with --pins, or take the file from a source you trust.
  --pins <file>   Earlier keys: an older answer, or the keys that a client has pinned. Reports each key that is missing, moved or changed.
  --moves <what>  The server's statements: a file with the answer of /.well-known/service/moves, or the URL of the server. Each key then has to
                  follow from the one before it, and receipts have the name that the server had, as it says itself, when their key was
                  the active one.
  --whole         The receipts are the complete log from the server's first receipt on. Receipts missing at its end cannot be detected.
  --log           The receipts are in the order of the log: receipt_seq rises from each to the next.
  --json          Writes the report as JSON. Use npm run --silent, or npm writes a heading before it.

Each fault is reported with the receipt_seq, the position in the input, and the field or byte (counted from 0). After a restore from a
backup, a server issues receipts that fork the chain; they are reported as a fork.
Exit status: 0 when no fault was found, 1 when there are faults, 2 when the check was not possible: the input could not be read, no keys
were given, or there was no receipt.`
const MAX_LISTED = 200

export interface Terminal {
  /** What `-` reads. */
  readonly input: AsyncIterable<string | Uint8Array>
  print(line: string): void
  complain(line: string): void
}

/** Resolves to the exit status. */
export async function checkReceiptsOf(parameters: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { positionals, values } = parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        keys: { type: 'string' },
        pins: { type: 'string' },
        moves: { type: 'string' },
        whole: { type: 'boolean', default: false },
        log: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      terminal.print(USAGE)
      return 0
    }
    if (positionals.length === 0) throw new Error('no file given; see --help')
    const { whole, log } = values
    const keys = await documentOf(values.keys, 'attestation-keys')
    const pins = await documentOf(values.pins, 'attestation-keys')
    const moves = await documentOf(values.moves, 'moves')
    const report = await check(
      positionals.map((path) => (path === '-' ? terminal.input : createReadStream(path))),
      { keys, pins, moves, whole, log },
    )
    terminal.print(values.json ? JSON.stringify(report, undefined, 2) : describe(report))
    return statusOf(report)
  } catch (error) {
    terminal.complain(`Could not check: ${error instanceof Error ? error.message : String(error)}`)
    // As `parseArgs` throws it.
    if (error instanceof TypeError) terminal.complain('npm run check:receipts -- --help says how it is called.')
    return 2
  }
}

async function documentOf(source: string | undefined, name: string): Promise<unknown> {
  return source === undefined ? undefined : readDocument(source, name)
}

async function check(inputs: readonly Terminal['input'][], options: CheckOptions): Promise<Report> {
  const checker = await openChecker(options)
  for (const input of inputs) for await (const item of readItems(input)) checker.take(item)
  return checker.finish()
}

/** Without keys or receipts nothing was verified, so the status is not 0. */
function statusOf({ fault_count, keys, receipts }: Report): number {
  if (fault_count > 0) return 1
  return keys === undefined || receipts === 0 ? 2 : 0
}

function describe(report: Report): string {
  const { faults, fault_count: count } = report
  const listed = faults.slice(0, MAX_LISTED).map((fault) => `  ${describeFault(fault)}`)
  const more = count > listed.length ? [`  … and ${count - listed.length} more`] : []
  const verdict =
    count === 0 ? ['No fault found.'] : [count === 1 ? '1 fault:' : `${count} faults:`, ...listed, ...more]
  return [heading(report), ...formerNames(report), ...verdict, ...omissions(report)].join('\n')
}

function heading({
  receipts,
  server_id: server,
  first_receipt_seq: first,
  last_receipt_seq: last,
  keys,
}: Report): string {
  const what = `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}`
  const span = first === undefined ? '' : `, receipt_seq ${first} to ${last}`
  const under = keys === undefined ? '' : `, under ${keys} published ${keys === 1 ? 'key' : 'keys'}`
  return `Checked ${what}${server === undefined ? '' : ` of ${server}`}${span}${under}.`
}

/** A server proves with its own keys alone that it had another name, so it is never said as a fact. */
function formerNames({ claimed_former_names: names = [], server_id: server }: Report): readonly string[] {
  return names.map(
    ({ claimed_server_id: name, claimed_until: until, receipts }) =>
      `${receipts} of them: signed by a key that ${server} lists as its own; it says that it was ${name} until ${until}.`,
  )
}

/** What the options left unchecked, so that the user knows how much the result covers. */
function omissions({
  keys,
  pins,
  new_keys: newKeys = 0,
  moves,
  whole,
  log,
  receipts,
  faults,
}: Report): readonly string[] {
  const all: readonly (readonly [boolean, string])[] = [
    [receipts === 0, 'anything (there was no receipt)'],
    [keys === undefined, 'signatures (--keys)'],
    [keys !== undefined && !pins, 'whether the keys are the earlier ones (--pins)'],
    [!moves && newKeys > 0, 'whether new keys follow from the earlier ones (--moves)'],
    [!moves && faults.some(({ kind }) => kind === 'server'), 'whether the other names are former ones (--moves)'],
    [!whole, 'whether receipts are missing (--whole)'],
    [!log, 'the order of the receipts (--log)'],
  ]
  const names = all.filter(([isOmitted]) => isOmitted).map(([, name]) => name)
  return names.length === 0 ? [] : [`Not checked: ${names.join('; ')}.`]
}
