/** Shows a stranger's file in a sandboxed frame (`src/preview/`). */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice, Progress } from '../common/controls.tsx'
import { formats } from '../common/format.ts'
import { useText } from '../common/reader.ts'
import { preview as german } from '../text/de/preview.ts'
import { preview as english } from '../text/en/preview.ts'
import './previewPane.css'
import { MAX_IMAGE_BYTES, MAX_TEXT_BYTES, type PreviewContent, readForPreview } from './previewContent.ts'
import { onEscapeIn, orderFrame, previewUrl } from './previewFrame.ts'
import type { FromFrame } from './previewMessages.ts'

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
      const maxBytes = Math.max(1, Math.min(size, MAX_IMAGE_BYTES))
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
  return <Frame content={content} title={texts.title(name)} />
}

function noneText(reason: Extract<PreviewContent, { kind: 'none' }>['reason'], texts: typeof english): string {
  const { empty, unknown, tooLarge, failed } = texts
  return { empty, unknown, too_large: tooLarge, broken: failed }[reason]
}

interface FrameProps {
  readonly content: Exclude<PreviewContent, { kind: 'none' }>
  readonly title: string
}

function Frame({ content, title }: FrameProps) {
  const format = useText(formats)
  const texts = useText(previewTexts)
  const frame = useRef<HTMLIFrameElement>(null)
  const [answer, setAnswer] = useState<FromFrame>()
  // A layout effect runs before the frame's script, which reports at once that it is ready.
  useLayoutEffect(() => {
    if (frame.current === null) return undefined
    const bytes = content.bytes.slice().buffer
    const order =
      content.kind === 'image'
        ? ({ kind: 'image', type: content.type, bytes, label: title } as const)
        : ({ kind: 'text', bytes, label: title } as const)
    return orderFrame(frame.current, order, setAnswer)
  }, [content])

  useEffect(() => {
    const shown = frame.current
    if (shown === null) return undefined
    // As Escape does in the dialog itself.
    return onEscapeIn(shown, () => shown.closest('dialog')?.dispatchEvent(new Event('cancel', { cancelable: true })))
  }, [])

  useEffect(() => {
    if (answer?.kind === 'shown') frame.current?.scrollIntoView({ block: 'nearest' })
  }, [answer])

  if (answer?.kind === 'failed') return <Notice tone="warn">{texts.failed}</Notice>
  return (
    <div class="stack tight">
      <iframe
        ref={frame}
        class={`preview ${content.kind}`}
        title={title}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        style={ratioOf(answer)}
        src={previewUrl()}
      />
      {content.kind === 'text' && content.isCut && (
        <p class="small soft">{texts.textCut(format.bytes(MAX_TEXT_BYTES))}</p>
      )}
    </div>
  )
}

function ratioOf(answer: FromFrame | undefined): { readonly aspectRatio?: string } {
  if (answer?.kind !== 'shown' || answer.width === undefined || answer.height === undefined) return {}
  return { aspectRatio: `${answer.width} / ${answer.height}` }
}
