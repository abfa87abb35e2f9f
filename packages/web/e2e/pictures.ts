/** Draws test pictures: a PNG (W3C PNG, third edition) with a gradient. */
import { crc32, deflateSync } from 'node:zlib'

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green and blue, 0 to 255, of the top left corner. */
  readonly from?: readonly [number, number, number]
  /** The same of the bottom right corner. */
  readonly to?: readonly [number, number, number]
}

export function pngOf({
  width,
  height,
  from = [11, 110, 105],
  to = [240, 198, 116],
}: Picture): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc(height * (1 + 3 * width))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const share = (x / width + y / height) / 2
      for (const [channel, start] of from.entries())
        rows[y * (1 + 3 * width) + 1 + 3 * x + channel] = start + ((to[channel] ?? 0) - start) * share
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8)
  return Uint8Array.from(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
