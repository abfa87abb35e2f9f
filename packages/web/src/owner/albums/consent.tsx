/** Asks the owner before anything happens with a file that no live device has signed. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog, DialogEnd } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { type ConsentedAsset, consentTo, doubtfulOf, type ShownAsset } from '../assets/shownAsset.ts'
import { albumsTexts } from '../ground/texts.ts'

type Act = 'preview' | 'download' | 'share'

interface Consent {
  /**
   * Calls `proceed` at once when a live device has signed all assets; otherwise after the owner has confirmed the
   * question, synchronously in the click's handler.
   */
  ask(act: Act, assets: readonly ShownAsset[], proceed: (assets: readonly ConsentedAsset[]) => void): void
  /** Render it beside the button. */
  readonly dialog: ComponentChildren
}

interface Question {
  readonly act: Act
  readonly assets: readonly ShownAsset[]
  readonly proceed: (assets: readonly ConsentedAsset[]) => void
}

export function useConsent(): Consent {
  const [question, setQuestion] = useState<Question>()
  return {
    ask(act, assets, proceed) {
      if (doubtfulOf(assets).length === 0) proceed(consentTo(assets))
      else setQuestion({ act, assets, proceed })
    },
    dialog: question !== undefined && (
      <ConsentDialog
        {...question}
        onClose={() => setQuestion(undefined)}
        onConfirmed={() => {
          setQuestion(undefined)
          question.proceed(consentTo(question.assets))
        }}
      />
    ),
  }
}

interface ConsentDialogProps extends Question {
  readonly onClose: () => void
  readonly onConfirmed: () => void
}

function ConsentDialog({ act, assets, onClose, onConfirmed }: ConsentDialogProps) {
  const text = useText(albumsTexts)
  const format = useText(formats)
  const doubtful = doubtfulOf(assets)
  const unsigned = doubtful.filter(({ trust }) => trust.kind === 'unsigned').length
  const dates = doubtful.flatMap(({ trust }) => (trust.kind === 'revoked' ? [trust.revokedAt] : []))
  const days = [...new Set(dates.map((instant) => format.instant(instant)))]
  return (
    <Dialog title={text.consent.title[act](assets.length)} closeLabel={text.close} onClose={onClose}>
      {unsigned > 0 && (
        <>
          <p>
            <strong>{text.consent.unsigned(unsigned, assets.length)}</strong>
          </p>
          <p>{text.consent.unsignedMeaning(unsigned)}</p>
        </>
      )}
      {dates.length > 0 && (
        <>
          <p>
            <strong>{text.consent.revoked(dates.length, assets.length, days)}</strong>
          </p>
          <p>{text.consent.revokedMeaning(dates.length)}</p>
        </>
      )}
      <DialogEnd>
        <Button kind="danger" onClick={onConfirmed}>
          {text.consent.confirm[act]}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {text.cancel}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}
