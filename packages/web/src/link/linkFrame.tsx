import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Mark } from '../common/controls/mark.tsx'
import { LanguageSelect } from '../common/language/languageSelect.tsx'
import { useText } from '../common/language/reader.ts'
import { guestTexts } from '../guest/ground/texts.ts'
import './linkFrame.css'

interface LinkFrameProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** Around what a local page says before it shows a link or a share, and after: it looks as the guest's page. */
export function LinkFrame({ title, children }: LinkFrameProps) {
  const text = useText(guestTexts)
  const heading = useRef<HTMLHeadingElement>(null)
  // A form inside may already have taken the focus.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus()
  }, [title])
  return (
    <div class="guest column">
      <header class="brand">
        <Mark />
        <span>Blindkeep</span>
      </header>
      <main class="stack">
        <div class="card stack">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </div>
      </main>
      <footer class="guest-footer">
        <LanguageSelect label={text.language} />
      </footer>
    </div>
  )
}
