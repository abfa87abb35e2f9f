import { render } from 'preact'
import '../common/base.css'

const page = document.getElementById('page')
if (page !== null) render(<main class="card">Blindkeep</main>, page)
