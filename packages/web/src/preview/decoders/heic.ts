/** Draws a picture of a phone with libheif. Its script is served as its authors made it, and runs before this one. */
import { answerWith, requirePixels } from './decoding.ts'

interface HeifImage {
  is_primary(): boolean
  get_width(): number
  get_height(): number
  /** Fills `into`, and calls back with null when the picture cannot be decoded. */
  display(into: Canvas, done: (filled: Canvas | null) => void): void
}

interface Canvas {
  readonly data: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

declare const libheif: (options: { readonly wasmBinary: ArrayBuffer }) => {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] }
}

answerWith(async (bytes, wasmBinary) => {
  const { HeifDecoder } = libheif({ wasmBinary })
  const images = new HeifDecoder().decode(new Uint8Array(bytes))
  const image = images.find((each) => each.is_primary()) ?? images[0]
  if (image === undefined) throw new Error('no picture')
  return {
    pages: 1,
    draw: () =>
      new Promise((resolve, reject) => {
        const [width, height] = [image.get_width(), image.get_height()]
        requirePixels(width, height)
        const pixels = new Uint8ClampedArray(4 * width * height)
        image.display({ data: pixels, width, height }, (filled) => {
          if (filled === null) reject(new Error('the picture is damaged'))
          else resolve({ width, height, pixels })
        })
      }),
  }
})
