/** The QR code of an address on a terminal. */
import { encode } from 'uqr'
import type { Report } from './report.ts'

/** Light modules around the code (ISO/IEC 18004, 5.3.8). */
const QUIET_ZONE = 4
/** Longer ones need more columns than terminals have. */
const MAX_TEXT_LENGTH = 1000
/** Fixed black on white: themes change the first sixteen colours, and scanners need dark on light. */
const [COLOURS, RESET] = ['\u001b[38;5;16;48;5;231m', '\u001b[0m']
const HALVES = [' ', '▄', '▀', '█'] as const

/** Two rows of modules in each line. Undefined for more than `columns`. */
export function qrCode(text: string, columns: number): string | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE })
  if (size > columns) return undefined
  const lines: string[] = []
  for (let y = 0; y < size; y += 2) {
    const halves = Array.from({ length: size }, (_, x) => HALVES[(data[y]?.[x] ? 2 : 0) + (data[y + 1]?.[x] ? 1 : 0)])
    lines.push(`${COLOURS}${halves.join('')}${RESET}`)
  }
  return lines.join('\n')
}

export interface QrFlags {
  /** False with `--no-qr`. */
  readonly qr?: boolean
}

/** Shows the code if a person looks at a terminal that can draw it. */
export function tellQrCode(url: string, report: Report, { qr = true }: QrFlags): void {
  const { stderr, env } = process
  if (!qr || stderr.isTTY !== true || env.TERM === 'dumb') return
  report.aside(
    qrCode(url, stderr.columns) ??
      'The window is too narrow for the QR code. In a wider one, call: blindkeep link show',
  )
}
