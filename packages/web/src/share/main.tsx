import { render } from 'preact'
import '../common/base.css'
import { ShareApp } from './shareApp.tsx'

const page = document.getElementById('page')
if (page !== null) render(<ShareApp />, page)
// Another address in the same tab is another share: nothing of the one before stays.
addEventListener('hashchange', () => location.reload())
