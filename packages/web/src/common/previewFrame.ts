import { baseUrlBefore } from './baseUrl.ts'
import { type FromFrame, type ImageType, parseFromFrame, type ToFrame } from './previewMessages.ts'

/** Decoding a large picture takes a phone some seconds. */
const MAX_ANSWER_MS = 30_000

/** Where the sandbox page is, seen from the owner's page and from a share's. */
export function previewUrl(): string {
  return `${baseUrlBefore(location, /\/(?:v\/[^/]*)?$/)}/preview/`
}

/**
 * Gives the frame its one order once it is ready, and tells what it answers; `failed` also when it says nothing in time. Begin in the same turn in which
 * the frame comes into the page. The returned function stops listening.
 */
export function orderFrame(
  frame: HTMLIFrameElement,
  order: ToFrame,
  onAnswer: (answer: FromFrame) => void,
): () => void {
  const timer = setTimeout(() => finish({ kind: 'failed' }), MAX_ANSWER_MS)
  let isOrdered = false

  function finish(answer: FromFrame): void {
    stop()
    onAnswer(answer)
  }

  function hear(event: MessageEvent<unknown>): void {
    if (frame.contentWindow === null || event.source !== frame.contentWindow) return
    const answer = parseFromFrame(event.data)
    if (answer === undefined) return
    if (answer.kind !== 'ready') {
      finish(answer)
      return
    }
    if (isOrdered) return
    isOrdered = true
    // A sandbox has no origin that could be named. It can only be our page: nothing in it navigates, and frame-src lets in no other.
    frame.contentWindow.postMessage(order, '*', [order.bytes])
  }

  function stop(): void {
    clearTimeout(timer)
    window.removeEventListener('message', hear)
  }

  window.addEventListener('message', hear)
  return stop
}

/** What every frame with a stranger's bytes in it is: without an origin, and without a word of where it was opened. */
function sandbox(frame: HTMLIFrameElement): void {
  frame.sandbox.add('allow-scripts')
  frame.referrerPolicy = 'no-referrer'
}

interface Thumbnail {
  readonly type: ImageType
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly edge: number
}

/** Decodes in a frame that nobody sees and that goes afterwards. Undefined when the browser cannot; else whatever bytes the frame gives, unchecked. */
export function drawThumbnail({ type, bytes, edge }: Thumbnail): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const frame = document.createElement('iframe')
  sandbox(frame)
  frame.hidden = true
  frame.src = previewUrl()
  return new Promise((resolve) => {
    // The bytes are handed over, so the caller's own have to be copied.
    const order: ToFrame = { kind: 'thumbnail', type, bytes: bytes.slice().buffer, edge }
    orderFrame(frame, order, (answer) => {
      frame.remove()
      resolve(answer.kind === 'thumbnail' ? new Uint8Array(answer.bytes) : undefined)
    })
    document.body.append(frame)
  })
}
