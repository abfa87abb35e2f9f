/** Runs `npm run check:receipts` in this process, without the start of one. */
import { checkReceiptsOf } from './checker/command.ts'

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export async function run(parameters: readonly string[], input = ''): Promise<Ended> {
  const [printed, complained]: [string[], string[]] = [[], []]
  const status = await checkReceiptsOf(parameters, {
    input: piecesOf(input),
    print: (line) => void printed.push(`${line}\n`),
    complain: (line) => void complained.push(`${line}\n`),
  })
  return { status, stdout: printed.join(''), stderr: complained.join('') }
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
