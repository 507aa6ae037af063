/** Style and script of the scan's page. Both are named by their hashes in the page's policy: nothing else may run or load. */

export const PAGE_STYLE = `
:root{color-scheme:light dark;--ground:#fff;--text:#1c2024;--faint:#60646c;--line:#d9d9e0;--strong:#b3261e;--warn:#8a5a00;--accent:#0b57d0;--row:#f6f7f9}
@media (prefers-color-scheme:dark){:root{--ground:#111417;--text:#e6e8eb;--faint:#9ba1a6;--line:#33383d;--strong:#ff8a80;--warn:#ffca6a;--accent:#8ab4f8;--row:#181c20}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1.5rem;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0 0 .25rem}
p{margin:.25rem 0}
.faint{color:var(--faint)}
.counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem;margin:1rem 0}
.counts section{border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;max-height:15rem;overflow:auto}
h2{font-size:1rem;margin:0 0 .25rem}
ul{list-style:none;margin:0;padding:0}
li{display:flex;justify-content:space-between;gap:1rem}
button{font:inherit;color:inherit;background:none;border:0;padding:0;text-align:left;cursor:pointer;overflow-wrap:anywhere}
li button{color:var(--accent)}
th button{font-weight:600}
button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
label{display:block;font-weight:600;margin:1rem 0 .25rem}
input{font:inherit;width:100%;max-width:40rem;padding:.4rem .6rem;border:1px solid var(--line);border-radius:6px;background:var(--ground);color:var(--text)}
.frame{overflow-x:auto;margin-top:.75rem}
table{border-collapse:collapse;width:100%}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td{overflow-wrap:anywhere}
tbody tr:hover{background:var(--row)}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:13px/1.5 ui-monospace,monospace}
.block{color:var(--strong)}
.warn{color:var(--warn)}
th[aria-sort=ascending] button::after{content:" \\2191"}
th[aria-sort=descending] button::after{content:" \\2193"}
`;

export const PAGE_SCRIPT = `
const table=document.getElementById('findings');
const filter=document.getElementById('filter');
const shown=document.getElementById('shown');
const body=table.tBodies[0];
const rows=[...body.rows].map((row)=>({row,text:row.textContent.toLowerCase()}));
const show=()=>{
  const words=filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count=0;
  for(const {row,text} of rows){
    const on=words.every((word)=>text.includes(word));
    row.hidden=!on;
    if(on)count+=1;
  }
  shown.textContent=count+' of '+rows.length+' shown';
};
const valueOf=(row,at,number)=>number?Number(row.cells[at].dataset.value):row.cells[at].textContent;
for(const button of table.querySelectorAll('th button')){
  const head=button.parentElement;
  button.addEventListener('click',()=>{
    const at=head.cellIndex;
    const number=head.dataset.type==='number';
    const down=head.getAttribute('aria-sort')==='ascending';
    for(const other of table.tHead.rows[0].cells)other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort',down?'descending':'ascending');
    rows.sort((a,b)=>{
      const x=valueOf(a.row,at,number);
      const y=valueOf(b.row,at,number);
      return (x<y?-1:x>y?1:0)*(down?-1:1);
    });
    body.append(...rows.map(({row})=>row));
  });
}
for(const button of document.querySelectorAll('[data-filter]')){
  button.addEventListener('click',()=>{
    filter.value=button.dataset.filter;
    show();
    filter.focus();
  });
}
filter.addEventListener('input',show);
document.addEventListener('keydown',(event)=>{
  if(event.key==='/'&&document.activeElement!==filter){event.preventDefault();filter.focus();}
  if(event.key==='Escape'&&document.activeElement===filter){filter.value='';show();}
});
show();
`;
