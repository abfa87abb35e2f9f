import { Dialog } from '../common/controls.tsx'
import { useText } from '../common/reader.ts'
import { useLoaded } from '../common/useLoaded.ts'
import type { ProofStatus } from './messages.ts'
import { useTell } from './tell.ts'
import { guestTexts } from './texts.ts'

/** Is loaded when a guest asks for proofs. */
export function LateProofDialog({ proofs }: { readonly proofs: ProofStatus }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const { value, error } = useLoaded(() => import('./proofDialog.tsx'))
  if (value !== undefined) return <value.ProofDialog proofs={proofs} />
  if (error === undefined) return null
  return (
    <Dialog title={text.receipt.proofs} closeLabel={text.confirm.close} onClose={() => tell({ do: 'dropProofs' })}>
      <p>{text.failures.unexpected}</p>
    </Dialog>
  )
}
