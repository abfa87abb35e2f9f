import { decoderCode } from './decoderCode.ts'
import {
  type DecoderName,
  type Drawable,
  type FromFrame,
  type Order,
  parseFromFrame,
  type ToFrame,
} from './previewMessages.ts'
import { previewUrl } from './previewUrl.ts'

/** Decoding a large picture takes a phone some seconds. */
const MAX_ANSWER_MS = 30_000

/** What the order of a frame came to. `no_decoder`: the server did not give the code that draws it. */
export type Outcome = Extract<FromFrame, { kind: 'shown' | 'thumbnail' | 'failed' }> | { readonly kind: 'no_decoder' }

export interface OrderedFrame {
  /** Draws another page, from 0 on; the answer comes as the first one did. */
  turnTo(page: number, label: string): void
  /** Stops listening. */
  stop(): void
}

/**
 * Sends the frame its order when it is ready, with its decoder if it needs one, and calls `onAnswer` with its answer,
 * which is `failed` after a timeout. Call it in the same task that adds the frame to the page. Remove the frame after a
 * failure: what it decodes ends with it.
 */
export function orderFrame(frame: HTMLIFrameElement, order: Order, onAnswer: (answer: Outcome) => void): OrderedFrame {
  let timer = startTimer()
  const decoder = decoderOf(order)
  let isOrdered = false
  let isDecoderSent = false
  let isAwaited = true

  function startTimer() {
    return setTimeout(() => finish({ kind: 'failed' }), MAX_ANSWER_MS)
  }

  function finish(answer: Outcome): void {
    if (!isAwaited) return
    isAwaited = false
    clearTimeout(timer)
    onAnswer(answer)
  }

  // A sandbox has no origin to name as the target. The frame can only show our page: nothing in it navigates, and
  // frame-src allows no other.
  const send = (message: ToFrame) => frame.contentWindow?.postMessage(message, '*')

  async function sendDecoder(name: DecoderName): Promise<void> {
    // A slow line is no broken file.
    clearTimeout(timer)
    const code = await decoderCode(name).catch(() => undefined)
    if (code === undefined) return finish({ kind: 'no_decoder' })
    if (!isAwaited) return
    timer = startTimer()
    send({ kind: 'decoder', code })
  }

  function hear(event: MessageEvent<unknown>): void {
    if (frame.contentWindow === null || event.source !== frame.contentWindow) return
    const answer = parseFromFrame(event.data)
    if (answer?.kind === 'ready' && !isOrdered) {
      isOrdered = true
      send(order)
    }
    if (answer?.kind === 'needs' && decoder !== undefined && !isDecoderSent) {
      isDecoderSent = true
      void sendDecoder(decoder)
    }
    if (answer?.kind === 'shown' || answer?.kind === 'thumbnail' || answer?.kind === 'failed') finish(answer)
  }

  window.addEventListener('message', hear)
  return {
    turnTo(page, label) {
      clearTimeout(timer)
      isAwaited = true
      timer = startTimer()
      send({ kind: 'page', page, label })
    },
    stop() {
      isAwaited = false
      clearTimeout(timer)
      window.removeEventListener('message', hear)
    },
  }
}

function decoderOf(order: Order): DecoderName | undefined {
  const shown = order.kind === 'thumbnail' ? order.of : order
  return shown.kind === 'pages' ? shown.decoder : undefined
}

interface FrameKeys {
  onEscape(): void
  onTurn(by: 1 | -1): void
}

/** Calls back for keys in the frame. A frame that lies gains nothing: it must have the focus. */
export function onKeysIn(frame: HTMLIFrameElement, { onEscape, onTurn }: FrameKeys): () => void {
  const hear = ({ source, data }: MessageEvent<unknown>) => {
    if (source !== frame.contentWindow || document.activeElement !== frame) return
    const message = parseFromFrame(data)
    if (message?.kind === 'escape') onEscape()
    if (message?.kind === 'turn') onTurn(message.by)
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
  readonly of: Drawable
  readonly edge: number
}

/** Decodes in a hidden, temporary frame. Undefined when the browser cannot. The frame's bytes are unchecked. */
export function drawThumbnail({ of, edge }: Thumbnail): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const frame = document.createElement('iframe')
  sandbox(frame)
  frame.hidden = true
  frame.src = previewUrl()
  return new Promise((resolve) => {
    const ordered = orderFrame(frame, { kind: 'thumbnail', of, edge }, (answer) => {
      ordered.stop()
      frame.remove()
      resolve(answer.kind === 'thumbnail' ? new Uint8Array(answer.bytes) : undefined)
    })
    document.body.append(frame)
  })
}
