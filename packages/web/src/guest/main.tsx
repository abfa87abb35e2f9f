import { render } from 'preact'
import '../common/base.css'
import './guest.css'
import './print.css'
import { GuestPage } from './page.tsx'

const page = document.getElementById('page')
if (page !== null) {
  page.replaceChildren()
  render(<GuestPage />, page)
}
// Somebody who pastes another link into the same tab changes the part after # alone, which loads nothing.
addEventListener('hashchange', () => location.reload())
