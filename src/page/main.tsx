/** Starts the page. The token leaves the address bar before anything is drawn or asked for. */
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app.js';
import { takeTokenFromAddress } from './session.js';
import './style/tokens.css';
import './style/base.css';
import './style/frame.css';
import './style/parts.css';
import './style/tables.css';
import './style/bundle.css';
import './style/views.css';
import { applyTheme, keptTheme } from './theme.js';

applyTheme(keptTheme());
takeTokenFromAddress();
const place = document.getElementById('page');
if (place !== null) render(<App />, place);
