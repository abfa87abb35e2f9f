import type { ShareParts } from '@blindkeep/client/share'
import { useEffect, useRef } from 'preact/hooks'
import { Button, Notice } from '../common/controls/controls.tsx'
import { ExposedNotice } from '../common/controls/exposedNotice.tsx'
import { Mark } from '../common/controls/mark.tsx'
import { OperatorNote } from '../common/controls/operatorNote.tsx'
import { formats } from '../common/language/format.ts'
import { LanguageSelect } from '../common/language/languageSelect.tsx'
import { useText } from '../common/language/reader.ts'
import { useLoaded } from '../common/work/useLoaded.ts'
import { AskPassphrase } from './askPassphrase.tsx'
import { useOpening } from './opening.ts'
import type { Fault, OpenedShare } from './receiver.ts'
import './share.css'
import { SharedFiles } from './sharedFiles.tsx'
import { shareTexts } from './texts.ts'

/** Faults that another attempt may solve. */
const RETRIED: readonly Fault[] = ['unreachable', 'failed', 'tampered']

interface ShareAppProps {
  /** Servers have seen the key of the link. */
  readonly isExposed: boolean
  readonly parts: ShareParts
}

export function ShareApp({ isExposed, parts }: ShareAppProps) {
  const format = useText(formats)
  const text = useText(shareTexts)
  const opening = useOpening(parts)
  const { value: site } = useLoaded(async () => (await import('./receiver.ts')).siteAt(parts))
  const isEmpty = opening.stage === 'open' && opening.share.assets.length === 0
  return (
    <div class="share-page column">
      <header class="row apart">
        <span class="brand">
          <Mark />
          <span>Blindkeep</span>
        </span>
        <LanguageSelect label={text.language} />
      </header>
      <main class="card stack">
        {opening.stage === 'opening' && (
          <>
            <h1>{text.title}</h1>
            <p class="row soft" role="status">
              <span class="spinner" aria-hidden="true" />
              {text.opening}
            </p>
          </>
        )}
        {opening.stage === 'asking' && (
          <>
            <h1>{text.asked.title}</h1>
            {isExposed && <ExposedNotice text={text.exposed} />}
            <AskPassphrase {...opening} />
          </>
        )}
        {opening.stage === 'fault' && <Failed fault={opening.fault} retry={opening.retry} />}
        {opening.stage === 'open' && (
          <>
            <Heading>{text.title}</Heading>
            <p class="soft">
              {isEmpty && text.empty}
              {!isEmpty && text.intro(opening.share.assets.length, format.bytes(bytesOf(opening.share)))}
              {!isEmpty && !isExposed && ` ${text.introSealed}`}
            </p>
            {isExposed && <ExposedNotice text={text.exposed} />}
            {!isEmpty && <SharedFiles share={opening.share} receiver={opening.receiver} />}
          </>
        )}
      </main>
      <footer class="small soft">
        <details>
          <summary>{text.about}</summary>
          <p>{text.aboutText}</p>
        </details>
        <OperatorNote site={site} text={text.operator} />
      </footer>
    </div>
  )
}

function bytesOf({ assets }: OpenedShare): number {
  return assets.reduce((sum, { size }) => sum + size, 0)
}

/** Takes the focus, because the element that had it has been removed. */
function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

interface FailedProps {
  readonly fault: Fault
  readonly retry: () => void
}

function Failed({ fault, retry }: FailedProps) {
  const text = useText(shareTexts)
  return (
    <>
      <Heading>{text.faults[fault].title}</Heading>
      <Notice tone={fault === 'tampered' ? 'bad' : 'warn'}>{text.faults[fault].text}</Notice>
      {RETRIED.includes(fault) && (
        <div>
          <Button icon="retry" onClick={retry}>
            {text.retry}
          </Button>
        </div>
      )}
    </>
  )
}
