/** Shows a stranger's file in a sandboxed frame (`src/preview/`). */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton, Notice, Progress } from '../common/controls/controls.tsx'
import { formats } from '../common/language/format.ts'
import { useText } from '../common/language/reader.ts'
import { preview as german } from '../text/de/preview.ts'
import { preview as english } from '../text/en/preview.ts'
import './previewPane.css'
import { MAX_MEDIA_BYTES, MAX_TEXT_BYTES, type PreviewContent, readForPreview } from './previewContent.ts'
import { type OrderedFrame, type Outcome, onKeysIn, orderFrame } from './previewFrame.ts'
import type { Failure, Order } from './previewMessages.ts'
import { previewUrl } from './previewUrl.ts'

const previewTexts = { en: english, de: german }

interface PreviewProps {
  /** Opens the file: called when the preview is rendered, and for each further attempt. */
  readonly open: (signal: AbortSignal) => Promise<{
    readonly content: ReadableStream<Uint8Array>
    /** Bytes of the file. */
    readonly size: number
  }>
  readonly name: string
  /** Turns an error of `open` or of the stream into a text. */
  readonly explain: (error: unknown) => string
}

type State =
  | { readonly kind: 'loading'; readonly progress: number | undefined }
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'there'; readonly content: PreviewContent }

/** Render it only after the person has asked for the preview. */
export function Preview({ open, name, explain }: PreviewProps) {
  const texts = useText(previewTexts)
  const [state, setState] = useState<State>({ kind: 'loading', progress: undefined })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const closed = new AbortController()
    const show = (next: State) => closed.signal.aborted || setState(next)
    async function load(): Promise<void> {
      const { content, size } = await open(closed.signal)
      const maxBytes = Math.max(1, Math.min(size, MAX_MEDIA_BYTES))
      const read = await readForPreview(content, (bytes) => show({ kind: 'loading', progress: bytes / maxBytes }))
      show({ kind: 'there', content: read })
    }
    setState({ kind: 'loading', progress: undefined })
    load().catch((error: unknown) => show({ kind: 'fault', text: explain(error) }))
    return () => closed.abort()
  }, [round])

  if (state.kind === 'loading') return <Progress label={texts.opening} value={state.progress} />
  if (state.kind === 'fault')
    return (
      <Notice tone="bad">
        <p>{state.text}</p>
        <div>
          <Button icon="retry" onClick={() => setRound(round + 1)}>
            {texts.again}
          </Button>
        </div>
      </Notice>
    )
  const { content } = state
  if (content.kind === 'none') return <Notice tone="info">{noneText(content.reason, texts)}</Notice>
  return <Frame key={round} content={content} name={name} onRetry={() => setRound(round + 1)} />
}

/** In place of the button, for a file of which its name or size says that it has no preview. */
export function NoPreview({ why }: { readonly why: 'unknown' | 'too_large' }) {
  return <p class="small soft">{noneText(why, useText(previewTexts))}</p>
}

function noneText(reason: Extract<PreviewContent, { kind: 'none' }>['reason'], texts: typeof english): string {
  const { empty, unknown, tooLarge, failed } = texts
  return { empty, unknown, too_large: tooLarge, broken: failed }[reason]
}

interface FrameProps {
  readonly content: Exclude<PreviewContent, { kind: 'none' }>
  readonly name: string
  readonly onRetry: () => void
}

function Frame({ content, name, onRetry }: FrameProps) {
  const format = useText(formats)
  const texts = useText(previewTexts)
  const title = texts.title(name)
  const frame = useRef<HTMLIFrameElement>(null)
  const { answer, pages, page, turn } = useFrame(frame, content, title)

  useEffect(() => {
    if (answer?.kind === 'shown') frame.current?.scrollIntoView({ block: 'nearest' })
  }, [answer?.kind])

  if (answer?.kind === 'no_decoder')
    return (
      <Notice tone="bad">
        <p>{texts.noDecoder}</p>
        <div>
          <Button icon="retry" onClick={onRetry}>
            {texts.again}
          </Button>
        </div>
      </Notice>
    )
  if (answer?.kind === 'failed') return <Notice tone="warn">{failedText(content, answer.failure, texts)}</Notice>
  return (
    <div class="stack tight">
      {pages > 1 && (
        <div class="row preview-pages">
          <IconButton icon="back" label={texts.pageBack} onClick={() => turn(-1)} />
          <span role="status">{texts.page(page + 1, pages)}</span>
          <IconButton icon="forward" label={texts.pageOn} onClick={() => turn(1)} />
        </div>
      )}
      <iframe
        ref={frame}
        class={`preview ${lookOf(content)}`}
        title={title}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        style={ratioOf(content, answer)}
        src={previewUrl()}
      />
      {answer === undefined && content.kind !== 'text' && (
        <p class="row small soft" role="status">
          <span class="spinner" aria-hidden="true" />
          {texts.drawing}
        </p>
      )}
      {content.kind === 'text' && content.isCut && (
        <p class="small soft">{texts.textCut(format.bytes(MAX_TEXT_BYTES))}</p>
      )}
    </div>
  )
}

/** Orders the file from the frame, and its pages as the person turns them. */
function useFrame(
  frame: { readonly current: HTMLIFrameElement | null },
  content: FrameProps['content'],
  title: string,
) {
  const texts = useText(previewTexts)
  const [answer, setAnswer] = useState<Outcome>()
  const [page, setPage] = useState(0)
  const ordered = useRef<OrderedFrame>(undefined)
  const pages = answer?.kind === 'shown' ? (answer.pages ?? 1) : 1
  // A layout effect runs before the frame's script, which reports at once that it is ready.
  useLayoutEffect(() => {
    if (frame.current === null) return undefined
    const started = orderFrame(frame.current, orderOf(content, title), setAnswer)
    ordered.current = started
    return started.stop
  }, [content])

  const turn = (by: 1 | -1) => {
    const next = page + by
    if (next < 0 || next >= pages) return
    setPage(next)
    ordered.current?.turnTo(next, `${title}, ${texts.page(next + 1, pages)}`)
  }
  const onTurn = useRef(turn)
  onTurn.current = turn
  useEffect(() => {
    const shown = frame.current
    if (shown === null) return undefined
    // As Escape does in the dialog itself.
    const onEscape = () => shown.closest('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true }))
    const onTurnKey = (by: 1 | -1) => onTurn.current(by)
    const stops = [onKeysIn(shown, { onEscape, onTurn: onTurnKey }), onArrows(onTurnKey)]
    return () => stops.map((stop) => stop())
  }, [])
  return { answer, pages, page, turn }
}

function orderOf(content: FrameProps['content'], label: string): Order {
  return content.kind === 'text' ? { kind: 'text', bytes: content.bytes, label } : { ...content, label }
}

/** In the page around the frame, except where arrows move in a text. */
function onArrows(onTurn: (by: 1 | -1) => void): () => void {
  const hear = ({ key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) => {
    const isElsewhere = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (isElsewhere || altKey || ctrlKey || metaKey || shiftKey) return
    if (key === 'ArrowLeft') onTurn(-1)
    if (key === 'ArrowRight') onTurn(1)
  }
  window.addEventListener('keydown', hear)
  return () => window.removeEventListener('keydown', hear)
}

function failedText(content: PreviewContent, failure: Failure | undefined, texts: typeof english): string {
  if (failure === 'locked') return texts.locked
  if (failure === 'too_large') return texts.tooLarge
  return content.kind === 'media' ? texts.notPlayed : texts.failed
}

function lookOf(content: FrameProps['content']): string {
  if (content.kind === 'media') return content.type.startsWith('video/') ? 'image' : 'sound'
  if (content.kind === 'pages') return content.decoder === 'heic' ? 'image' : 'paper'
  return content.kind
}

function ratioOf(content: PreviewContent, answer: Outcome | undefined): { readonly aspectRatio?: string } {
  const isPaper = content.kind === 'pages' && content.decoder !== 'heic'
  if (isPaper || answer?.kind !== 'shown' || answer.width === undefined || answer.height === undefined) return {}
  return { aspectRatio: `${answer.width} / ${answer.height}` }
}
