/** `npm run check:receipts -- receipts.jsonl --keys https://keep.example`; see `--help`. */
import { checkReceiptsOf } from './command.ts'

process.exitCode = await checkReceiptsOf(process.argv.slice(2), {
  input: process.stdin,
  print: (line) => console.log(line),
  complain: (line) => console.error(line),
})
