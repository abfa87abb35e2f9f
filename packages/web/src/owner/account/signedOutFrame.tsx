/** The frame of the pages of a visitor: one task, and three sentences about the service. */
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../common/controls/icons.tsx'
import { Mark } from '../../common/controls/mark.tsx'
import { OperatorNote } from '../../common/controls/operatorNote.tsx'
import { LanguageSelect } from '../../common/language/languageSelect.tsx'
import { useText } from '../../common/language/reader.ts'
import { isFirstView } from '../ground/firstView.ts'
import { type OwnerPages, SiteContext } from '../ground/ownerPages.ts'
import { accountTexts, ownerTexts } from '../ground/texts.ts'
import type { SignInAttempt } from '../session/session.ts'
import './account.css'

/** The properties of every page of a visitor. */
export interface SignedOutProps {
  readonly newAttempt: () => SignInAttempt
  readonly showMessage: OwnerPages['showMessage']
}

interface SignedOutFrameProps {
  readonly title: string
  /** For long content; hides the sentences about the service. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

export function SignedOutFrame({ title, wide, children }: SignedOutFrameProps) {
  const text = useText(accountTexts)
  const ownerText = useText(ownerTexts)
  const card = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A form inside may already have taken the focus.
    if (!isFirstView() && card.current?.contains(document.activeElement) !== true) heading.current?.focus()
  }, [title])
  return (
    <div class={`signed-out ${wide === true ? 'wide' : ''}`}>
      <header class="signed-out-top no-print">
        <p class="brand">
          <Mark />
          <span>Blindkeep</span>
        </p>
        <LanguageSelect label={ownerText.language} />
      </header>
      <main class="signed-out-main">
        <div ref={card} class="card stack signed-out-card">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </div>
        {wide !== true && (
          <section class="promise no-print" aria-labelledby="promise">
            <h2 id="promise">{text.promise.title}</h2>
            <ul>
              <li>
                <Icon name="link" />
                <span>{text.promise.link}</span>
              </li>
              <li>
                <Icon name="lock" />
                <span>{text.promise.sealed}</span>
              </li>
              <li>
                <Icon name="receipt" />
                <span>{text.promise.proof}</span>
              </li>
            </ul>
          </section>
        )}
      </main>
      <footer class="signed-out-end no-print">
        <OperatorNote site={useContext(SiteContext)} text={text.operator} />
      </footer>
    </div>
  )
}
