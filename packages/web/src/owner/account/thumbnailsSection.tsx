import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { isMadeWhenKept, makeWhenKept } from '../assets/thumbnails.ts'
import { accountTexts } from '../ground/texts.ts'
import { Section } from './section.tsx'

/** Whether files that their owner has not opened are drawn when they are kept. */
export function ThumbnailsSection() {
  const text = useText(accountTexts).thumbnails
  const [isOn, setOn] = useState(isMadeWhenKept)
  const [isRefused, setRefused] = useState(false)
  const turn = (wanted: boolean) => {
    try {
      makeWhenKept(wanted)
      setOn(wanted)
    } catch {
      setRefused(true)
    }
  }
  return (
    <Section title={text.title} state={isOn ? <span class="badge good">{text.isOn}</span> : undefined}>
      <p class="soft">{text.explain}</p>
      <p class="soft small">{text.sandbox}</p>
      {isRefused && <Notice tone="bad">{text.refused}</Notice>}
      <div>
        <Button icon={isOn ? undefined : 'add'} onClick={() => turn(!isOn)}>
          {isOn ? text.stop : text.start}
        </Button>
      </div>
    </Section>
  )
}
