import { encode } from 'uqr'
import './qrCode.css'

interface QrCodeProps {
  readonly text: string
  /** Says what the code contains, for a screen reader. */
  readonly label: string
}

/** Dark on light in every scheme, with the quiet zone that scanners need (ISO/IEC 18004, 5.3.8). */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={pathOf(data)} fill="#000000" />
    </svg>
  )
}

/** Each run of dark modules in a row is one rectangle. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  const runs: string[] = []
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x++) {
      const start = x
      while (row[x] === true) x++
      if (x > start) runs.push(`M${start} ${y}h${x - start}v1h-${x - start}z`)
    }
  }
  return runs.join('')
}
