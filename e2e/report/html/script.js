// Sorts, filters and ticks the tables of figures. Without it the page has all the same texts.
(() => {
  const tables = [...document.querySelectorAll('table.figures')].map(table => ({table, body: table.tBodies[0], rows: [...table.tBodies[0].rows], heads: [...table.tHead.rows[1].cells]}));
  const all = tables.flatMap(one => one.rows), heat = document.getElementById('heat');
  const ticks = [...document.querySelectorAll('#ticks input')], groups = [...document.querySelectorAll('#groups input')];
  const filter = document.getElementById('filter'), limits = [1.1, 2, 5, 10, 100];
  const number = cell => cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);

  // Sorting: a button in each head. What is not known comes last in either direction.
  const sort = ({body, rows, heads}, column, down) => {
    const key = row => column ? row.cells[column].dataset.v : row.cells[0].textContent.trim();
    rows.slice().sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      const order = isNaN(x) || isNaN(y) ? String(x).localeCompare(y) : x - y;
      return down ? -order : order;
    }).forEach(row => body.append(row));
    heads.forEach((head, i) => i === column ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
  };
  tables.forEach(one => one.heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sort(one, column, head.getAttribute('aria-sort') === 'ascending'));
    head.append(button);
  }));

  // Colours: the ratio to the best of the rows of a table that are shown.
  const colour = ({rows, heads}) => heads.forEach((head, column) => {
    if (!column) return;
    const shown = rows.filter(row => !row.hidden && !('out' in row.dataset)).map(row => row.cells[column]).filter(cell => !isNaN(number(cell)));
    const best = Math.min(...shown.map(number).filter(value => value > 0));
    const zero = shown.some(cell => number(cell) <= 0); // then what is not zero is no best
    shown.forEach(cell => {
      const ratio = number(cell) > 0 ? Math.max(number(cell) / best, zero ? limits[0] * (1 + 1e-9) : 0) : 1;
      cell.className = 'h' + limits.filter(limit => ratio > limit).length;
    });
  });

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean), on = new Set(ticks.filter(tick => tick.checked).map(tick => tick.value));
    const seen = new Set();
    all.forEach(row => {
      const text = row.cells[0].textContent.toLowerCase() + ' ' + [...row.cells].filter(cell => isNaN(number(cell)) && cell.dataset.v).map(cell => cell.dataset.v.toLowerCase()).join(' ');
      row.hidden = !on.has(row.dataset.s) || !words.every(word => text.includes(word));
      if (!row.hidden) seen.add(row.dataset.s);
    });
    document.querySelectorAll('.latencies tr[data-s]').forEach(row => { row.hidden = !seen.has(row.dataset.s); });
    if (heat) {
      const links = new Map(all.map(row => [row.cells[0].querySelector('a').getAttribute('href'), row.dataset.s]));
      const hidden = [...heat.tHead.rows[0].cells].map(head => head.querySelector('a') && !seen.has(links.get(head.querySelector('a').getAttribute('href'))));
      for (const row of heat.rows) hidden.forEach((is, i) => { row.cells[i].hidden = Boolean(is); });
    }
    document.getElementById('shown').textContent = seen.size + ' of ' + ticks.length + ' styles';
    tables.forEach(colour);
  };
  const columns = () => {
    const off = new Set(groups.filter(group => !group.checked).map(group => group.value));
    tables.forEach(({table, rows, heads}) => {
      const of = [...rows[0].cells].map(cell => cell.dataset.g);
      table.querySelectorAll('[data-g]').forEach(cell => { cell.hidden = off.has(cell.dataset.g); });
      heads.forEach((head, i) => { head.hidden = off.has(of[i]); });
    });
  };
  const set = value => { ticks.forEach(tick => { tick.checked = value; }); show(); };
  ticks.forEach(tick => tick.addEventListener('change', show));
  groups.forEach(group => group.addEventListener('change', columns));
  filter.addEventListener('input', show);
  document.getElementById('all').addEventListener('click', () => { filter.value = ''; set(true); });
  document.getElementById('none').addEventListener('click', () => set(false));
  if (all.length) { document.querySelector('.controls').hidden = false; show(); }
})();
