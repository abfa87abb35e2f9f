import { baseUrlBefore } from '../common/baseUrl.ts'
import { type FromFrame, type ImageType, parseFromFrame, type ToFrame } from './previewMessages.ts'

/** Decoding a large picture takes a phone some seconds. */
const MAX_ANSWER_MS = 30_000

/** The URL of the sandbox page, for the owner's page and for a share's page. */
export function previewUrl(): string {
  return `${baseUrlBefore(location, /\/(?:v\/[^/]*)?$/)}/preview/`
}

/**
 * Sends the frame its only order when it is ready, and calls `onAnswer` with its answer, which is `failed` after a
 * timeout. Call it in the same task that adds the frame to the page. The returned function stops listening.
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
    if (answer === undefined || answer.kind === 'escape') return
    if (answer.kind !== 'ready') {
      finish(answer)
      return
    }
    if (isOrdered) return
    isOrdered = true
    // A sandbox has no origin to name as the target. The frame can only show our page: nothing in it navigates, and
    // frame-src allows no other.
    frame.contentWindow.postMessage(order, '*', [order.bytes])
  }

  function stop(): void {
    clearTimeout(timer)
    window.removeEventListener('message', hear)
  }

  window.addEventListener('message', hear)
  return stop
}

/** Calls back for Escape in the frame. A frame that lies gains nothing: it must have the focus. */
export function onEscapeIn(frame: HTMLIFrameElement, onEscape: () => void): () => void {
  const hear = ({ source, data }: MessageEvent<unknown>) => {
    const isOurs = source === frame.contentWindow && document.activeElement === frame
    if (isOurs && parseFromFrame(data)?.kind === 'escape') onEscape()
  }
  window.addEventListener('message', hear)
  return () => window.removeEventListener('message', hear)
}

/** A frame with a stranger's bytes has no origin and sends no referrer. */
function sandbox(frame: HTMLIFrameElement): void {
  frame.sandbox.add('allow-scripts')
  frame.referrerPolicy = 'no-referrer'
}

interface Thumbnail {
  readonly type: ImageType
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly edge: number
}

/** Decodes in a hidden, temporary frame. Undefined when the browser cannot. The frame's bytes are unchecked. */
export function drawThumbnail({ type, bytes, edge }: Thumbnail): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const frame = document.createElement('iframe')
  sandbox(frame)
  frame.hidden = true
  frame.src = previewUrl()
  return new Promise((resolve) => {
    // The message transfers its bytes, so the caller's bytes are copied first.
    const order: ToFrame = { kind: 'thumbnail', type, bytes: bytes.slice().buffer, edge }
    orderFrame(frame, order, (answer) => {
      frame.remove()
      resolve(answer.kind === 'thumbnail' ? new Uint8Array(answer.bytes) : undefined)
    })
    document.body.append(frame)
  })
}
