import { render } from 'preact'
import '../common/base.css'
import { ShareApp } from './shareApp.tsx'

const page = document.getElementById('page')
if (page !== null) render(<ShareApp />, page)
// Another link in the same tab is another share, so nothing of the last one may stay.
addEventListener('hashchange', () => location.reload())
