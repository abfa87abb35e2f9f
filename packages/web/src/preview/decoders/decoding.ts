/**
 * What a decoder's worker and the frame that started it say to each other. The worker exists because a frame's own
 * thread may be the page's: a file that never ends to be decoded would stop the page. It ends with its frame.
 */
import { FAILURES, type Failure } from '../previewMessages.ts'

export interface Drawing {
  readonly width: number
  readonly height: number
  /** RGBA, 8 bits each. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  /** What a person hears who does not see the page. */
  readonly text?: string
}

export interface OpenedFile {
  readonly pages: number
  /** `width`: pixels that the page has on the screen; a decoder may draw more or fewer. */
  draw(page: number, width: number): Drawing | Promise<Drawing>
}

export type ToDecoder =
  | { readonly kind: 'open'; readonly bytes: ArrayBuffer; readonly wasm: ArrayBuffer | undefined }
  | { readonly kind: 'draw'; readonly page: number; readonly width: number }

export type FromDecoder =
  | { readonly kind: 'opened'; readonly pages: number }
  | { readonly kind: 'drawn'; readonly drawing: Drawing }
  | { readonly kind: 'failed'; readonly failure: Failure | undefined }

/** As many as the largest pictures of phones have; in RGBA 256 MB. */
const MAX_PIXELS = 64_000_000

/** An expected end: nothing is wrong with the decoder. */
class DecodeFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure)
    this.failure = failure
  }
}

export const isLocked = () => new DecodeFailure('locked')

/** The decoder itself says how many pixels it would allocate. */
export function requirePixels(width: number, height: number): void {
  if (!(width >= 1 && height >= 1)) throw new RangeError('a picture without pixels')
  if (width * height > MAX_PIXELS) throw new DecodeFailure('too_large')
}

/** Of its WebAssembly. A few kilobytes may draw more than any machine has. */
const MAX_MEMORY_BYTES = 1024 ** 3
const WASM_PAGE_BYTES = 64 * 1024

function boundMemory(): void {
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * WASM_PAGE_BYTES > MAX_MEMORY_BYTES) throw new RangeError('too much memory')
    return grow.call(this, pages)
  }
}

/** Makes the worker that runs this a decoder. */
export function answerWith(open: (bytes: ArrayBuffer, wasm: ArrayBuffer) => Promise<OpenedFile>): void {
  boundMemory()
  const post = (answer: FromDecoder, transfer: Transferable[] = []) => self.postMessage(answer, { transfer })
  let opened: OpenedFile | undefined
  async function carryOut(order: ToDecoder): Promise<void> {
    if (order.kind === 'open') {
      opened = await open(order.bytes, order.wasm ?? new ArrayBuffer())
      return post({ kind: 'opened', pages: opened.pages })
    }
    if (opened === undefined) throw new Error('nothing is open')
    const drawing = await opened.draw(order.page, order.width)
    post({ kind: 'drawn', drawing }, [drawing.pixels.buffer])
  }
  // A library may lose an error in a task of its own.
  self.onunhandledrejection = () => post({ kind: 'failed', failure: undefined })
  self.onmessage = ({ data }: MessageEvent<ToDecoder>) =>
    carryOut(data).catch((error: unknown) =>
      post({ kind: 'failed', failure: error instanceof DecodeFailure ? error.failure : undefined }),
    )
}

/** The failure in an answer; undefined when the decoder gave none. */
export const failureIn = (error: unknown): Failure | undefined =>
  FAILURES.find((failure) => error instanceof Error && error.message === failure)
