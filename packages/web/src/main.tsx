import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { LoginQuestion, loginOffer } from './app/login-question.js';
import { applyTheme, chosenTheme } from './app/theme.js';
import './app/style.css';

// Before the first paint, or a dark room would flash.
applyTheme(chosenTheme());

const offer = loginOffer();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>{offer ? <LoginQuestion offer={offer} /> : <App />}</StrictMode>,
  );
}
